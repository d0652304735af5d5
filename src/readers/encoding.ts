const UTF8 = new TextDecoder('utf-8');
const CONTROL_SHARE_MAX = 0.1;

/** True for UTF-16 by byte order mark, which anchors in UTF-8 would never hit. */
export function needsDecoding(head: Uint8Array): boolean {
  return utf16Label(head) !== null;
}

function utf16Label(head: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  // PowerShell redirection without a mark: every second byte of ASCII text is zero.
  const isAscii = (byte: number | undefined): boolean =>
    byte !== undefined && byte >= 9 && byte < 127;
  if (isAscii(head[0]) && head[1] === 0 && isAscii(head[2]) && head[3] === 0) return 'utf-16le';
  return null;
}

/** Text of the bytes, UTF-16 included; bytes that are no text become replacement characters. */
export function decodeText(bytes: Uint8Array): string {
  const label = utf16Label(bytes);
  return label === null ? UTF8.decode(bytes) : new TextDecoder(label).decode(bytes);
}

/** True when the first kilobytes hold more control bytes than console output does. */
export function isBinary(bytes: Uint8Array): boolean {
  if (utf16Label(bytes) !== null) return false;
  const head = bytes.subarray(0, 8192);
  let control = 0;
  for (const byte of head)
    if (byte === 0 || (byte < 32 && (byte < 7 || byte > 13) && byte !== 27)) control++;
  return control > head.length * CONTROL_SHARE_MAX;
}
