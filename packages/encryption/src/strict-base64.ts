/** Decodes standard padded base64; line breaks are allowed. Returns undefined for invalid input, which Node would skip. */
export function decodeBase64(text: string): Buffer | undefined {
  const joined = text.replaceAll(/[\r\n]/g, '')
  if (joined.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(joined)) return undefined
  return Buffer.from(joined, 'base64')
}
