/** Returns random bytes, or a malformed request that no HTTP library sends. */
export function createRawRubbish(random: () => number): Buffer {
  const length = 1 + Math.floor(random() * 4000)
  const createNoise = (): string => Buffer.from(Array.from({ length }, () => Math.floor(random() * 256))).toString('latin1')
  const kinds = [
    () => createNoise(),
    () => `GET /api/v1 HTTP/1.1\r\nHost: a\r\nX: ${createNoise()}\r\n\r\n`,
    () => `GET ${createNoise().replaceAll('\n', '')} HTTP/1.1\r\nHost: a\r\n\r\n`,
    () => `POST /api/v1/namespaces HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    () => `POST /api/v1/namespaces HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n`,
    () => `GET / HTTP/9.9\r\n\r\n`,
    () => `GET /api HTTP/1.1\r\n${'A: b\r\n'.repeat(length)}\r\n`,
    () => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${createNoise()}`,
    () => `GET /api HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`,
    () => `GET * HTTP/1.1\r\nHost: a\r\n\r\n`,
  ]
  return Buffer.from(kinds[Math.floor(random() * kinds.length)]!(), 'latin1')
}
