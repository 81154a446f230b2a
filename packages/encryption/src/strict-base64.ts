/** Decodes base64 with padding; line breaks are allowed. Returns undefined for invalid text, in which Node's decoder would ignore errors. */
export function decodeBase64(text: string): Buffer | undefined {
  const joined = text.replaceAll(/[\r\n]/g, '')
  if (joined.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(joined)) return undefined
  return Buffer.from(joined, 'base64')
}
