/** The whole text of a document; null for one of more bytes than that. */
export async function wholeText(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string | null> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax) return null;
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}
