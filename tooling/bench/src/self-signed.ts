import { createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

/** Creates a self-signed certificate with a P-256 key for "localhost", 127.0.0.1 and other DNS names. It is valid for a day. */
export function createSelfSigned(names: readonly string[] = []): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = encodeDer(0x30, encodeDer(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
  const commonName = encodeDer(0x30, encodeDer(0x06, Buffer.from('550403', 'hex')), encodeDer(0x0c, Buffer.from('Keelson tooling')))
  const name = encodeDer(0x30, encodeDer(0x31, commonName))
  const alternatives = encodeDer(
    0x30,
    ...['localhost', ...names].map((each) => encodeDer(0x82, Buffer.from(each))),
    encodeDer(0x87, Buffer.from([127, 0, 0, 1])),
  )
  const extension = encodeDer(0x30, encodeDer(0x06, Buffer.from('551d11', 'hex')), encodeDer(0x04, alternatives))
  const body = encodeDer(
    0x30,
    encodeDer(0xa0, encodeDer(0x02, Buffer.from([2]))),
    encodeDer(0x02, Buffer.from([0x01, ...randomBytes(8)])),
    ecdsaWithSha256,
    name,
    encodeDer(0x30, encodeUtcTime(Date.now() - 3_600_000), encodeUtcTime(Date.now() + 86_400_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    encodeDer(0xa3, encodeDer(0x30, extension)),
  )
  const signature = createSign('SHA256').update(body).sign(privateKey)
  const certificate = encodeDer(0x30, body, ecdsaWithSha256, encodeDer(0x03, Buffer.from([0]), signature))
  const base64 = certificate
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  }
}

function encodeDer(tag: number, ...elements: readonly Buffer[]): Buffer {
  const content = Buffer.concat(elements)
  const length = content.length
  const head = length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}

function encodeUtcTime(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/[-:T]/g, '').slice(2, 14)
  return encodeDer(0x17, Buffer.from(`${digits}Z`))
}
