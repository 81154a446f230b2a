/**
 * True if etcd answers progress requests correctly. Older versions may report a revision before sending its changes, and a cache that
 * trusts this serves stale data as fresh.
 */
export function hasReliableProgress(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number)
  if (major !== 3) return major > 3
  if (minor === 4) return patch >= 31
  if (minor === 5) return patch >= 13
  return minor > 5
}
