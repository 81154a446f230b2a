/** The tag of an image reference; "latest" when it has neither tag nor digest, "" when only a digest. */
export function imageTag(image: string): string {
  const digest = image.indexOf('@')
  const named = digest < 0 ? image : image.slice(0, digest)
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1)
  if (colon >= 0) return named.slice(colon + 1)
  return digest < 0 ? 'latest' : ''
}
