const lineEnd = Buffer.from('\r\n')

/** Frames bytes as one chunk of HTTP/1.1's chunked encoding. */
export function httpChunk(pieces: readonly Buffer[]): Buffer {
  let length = 0
  for (const piece of pieces) length += piece.length
  return Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`, 'latin1'), ...pieces, lineEnd])
}
