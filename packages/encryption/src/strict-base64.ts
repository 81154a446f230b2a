/** Standard base64 with its padding; line breaks are allowed between the characters. Undefined for anything else, which Node would skip. */
export function decodeBase64(text: string): Buffer | undefined {
  const joined = text.replaceAll(/[\r\n]/g, '')
  if (joined.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(joined)) return undefined
  return Buffer.from(joined, 'base64')
}
