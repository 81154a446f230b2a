const shortForms: readonly (readonly [mode: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]

/** Formats access modes as abbreviations, like "RWO,ROX". */
export function formatAccessModes(modes: readonly string[] = []): string {
  return shortForms.flatMap(([mode, short]) => (modes.includes(mode) ? [short] : [])).join(',')
}
