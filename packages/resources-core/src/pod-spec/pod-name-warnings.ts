import { isDNS1123Label } from '@keelson/apimachinery'

/** For what names pods after itself: their names are hostnames too. */
export function podNameWarnings(name: string): string[] {
  const messages = isDNS1123Label(name)
  if (messages.length === 0) return []
  const consequence = 'this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended'
  return [`metadata.name: ${consequence}: [${messages.join(' ')}]`]
}
