import { isDNS1123Label } from '@keelson/apimachinery'

/** Returns warnings about the name of a workload that is not a DNS label. Names and hostnames of its pods are derived from this name. */
export function findPodNameWarnings(name: string): string[] {
  const messages = isDNS1123Label(name)
  if (messages.length === 0) return []
  const advice = 'this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended'
  return [`metadata.name: ${advice}: [${messages.join(' ')}]`]
}
