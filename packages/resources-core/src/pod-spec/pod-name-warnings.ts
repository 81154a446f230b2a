import { isDNS1123Label } from '@keelson/apimachinery'

/** Warns about names of workloads that are not DNS labels, because pod names and hostnames derive from them. */
export function findPodNameWarnings(name: string): string[] {
  const messages = isDNS1123Label(name)
  if (messages.length === 0) return []
  const advice = 'this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended'
  return [`metadata.name: ${advice}: [${messages.join(' ')}]`]
}
