import type { FlagDefinition } from './flags.ts'

/** Grouped, wrapped to the terminal, defaults in the original's notation. */
export function helpText(definitions: readonly FlagDefinition[], width: number): string {
  const lines = ['keelson: the Kubernetes API server', '', 'Usage:', '  keelson [flags]', '']
  for (const group of new Set(definitions.map((definition) => definition.group))) {
    lines.push(`${group}:`)
    for (const definition of definitions.filter((one) => one.group === group)) {
      lines.push(`  --${definition.name}${placeholder(definition)}`)
      lines.push(
        ...wrap(definition.help + defaultText(definition), Math.max(40, Math.min(width, 110) - 8)).map((line) => `        ${line}`),
      )
    }
    lines.push('')
  }
  lines.push('Other:', '  --help, -h', '        This text.', '  --version', '        The version.', '')
  return lines.join('\n')
}

function placeholder({ type, choices }: FlagDefinition): string {
  if (type === 'boolean') return ''
  if (type === 'choice') return ` ${choices!.join('|')}`
  return ` ${type === 'list' ? 'strings' : type === 'integer' ? 'int' : type}`
}

function defaultText({ type, default: value }: FlagDefinition): string {
  if (value === undefined || value === false) return ''
  if (type === 'duration') return ` (default ${Number(value) / 1000}s)`
  return ` (default ${Array.isArray(value) ? value.join(',') : String(value)})`
}

function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + word.length < width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}
