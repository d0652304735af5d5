// Placeholder with the agreed interface until the real scanner replaces this file.
export interface AnchorSet { readonly anchors: readonly string[] }
export function compileAnchors(anchors: readonly string[]): AnchorSet { return { anchors }; }
export interface HitLine { readonly lineNumber: number; readonly byteOffset: number; readonly text: string; readonly cut: boolean; readonly anchors: readonly number[]; readonly terminated: boolean }
export interface LineScanner { push(chunk: Uint8Array): void; end(): void; readonly lines: number; readonly bytes: number }
export function createLineScanner(set: AnchorSet, onHit: (line: HitLine) => void): LineScanner {
  let rest = ''; let lines = 0; let bytes = 0;
  const decoder = new TextDecoder();
  const line = (text: string): void => {
    lines++;
    const anchors = set.anchors.flatMap((a, i) => (text.includes(a) ? [i] : []));
    if (anchors.length > 0) onHit({ lineNumber: lines, byteOffset: 0, text, cut: false, anchors, terminated: true });
  };
  return {
    push(chunk) { bytes += chunk.length; rest += decoder.decode(chunk, { stream: true }); const parts = rest.split('\n'); rest = parts.pop() ?? ''; for (const p of parts) line(p); },
    end() { if (rest !== '') line(rest); rest = ''; },
    get lines() { return lines; }, get bytes() { return bytes; },
  };
}
