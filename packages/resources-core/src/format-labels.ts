/** Formats labels for tables, like "a=1,b=2". */
export function formatLabels(labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  return pairs.sort().join(',') || '<none>'
}
