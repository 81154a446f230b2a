import { formatFlagValue } from './flags.ts'
import type { FlagDefinition } from './flag-types.ts'

/**
 * Returns the text of --help. It lists the flags by group with their defaults in kube-apiserver's notation, wrapped to the width of the
 * terminal.
 */
export function formatHelp(flags: ReadonlyMap<string, FlagDefinition>, width: number): string {
  const lines = [
    'keelson: the Kubernetes API server',
    '',
    'Usage:',
    '  keelson [flags]',
    '  keelson kubeconfig --user NAME [flags]',
    '  keelson envtest-assets DIR [flags]',
    '  keelson version',
    '  keelson completion bash|zsh|fish|powershell',
    '',
  ]
  for (const group of new Set([...flags.values()].map((definition) => definition.group))) {
    lines.push(`${group}:`)
    for (const [name, definition] of flags) {
      if (definition.group !== group) continue
      lines.push(`  --${name} ${definition.type.placeholder}`.trimEnd())
      lines.push(
        ...wrap(definition.help + defaultText(definition), Math.max(40, Math.min(width, 110) - 8)).map((line) => `        ${line}`),
      )
    }
    lines.push('')
  }
  lines.push(
    'Other:',
    '  --help, -h',
    '        Print this text.',
    '  --version version[=raw]',
    '        Print the version; raw prints all its fields.',
    '',
  )
  return lines.join('\n')
}

function defaultText(definition: FlagDefinition): string {
  const { default: value } = definition
  return value === undefined || value === false ? '' : ` (default ${formatFlagValue(definition, value)})`
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
