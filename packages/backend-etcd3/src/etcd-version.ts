/**
 * Whether etcd answers progress requests rightly. Older ones may claim a revision whose changes have not been sent yet, and whoever
 * believes that serves a stale cache as fresh.
 */
export function answersProgressRightly(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number)
  if (major !== 3) return major > 3
  if (minor === 4) return patch >= 31
  if (minor === 5) return patch >= 13
  return minor > 5
}
