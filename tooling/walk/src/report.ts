import { getPackage } from './layers.ts'
import type { Walk, WalkedFunction } from './walk.ts'
import { formatLabel } from './walk.ts'

/** Formats a walk as text. Lists the functions by file and package, highest layer first, followed by totals. */
export function report(walk: Walk, title: string): string {
  const lines = [title]
  for (const packageName of walk.packages) {
    const files = walk.files.filter((file) => getPackage(file) === packageName)
    lines.push('', `${packageName} (${count(files.length, 'file')})`)
    for (const file of files) {
      const functions = walk.functions.filter((f) => f.file === file)
      lines.push(`  ${file.slice(`packages/${packageName}/`.length)}`, `    ${functions.map(formatFunction).join(', ')}`)
    }
  }
  lines.push(
    '',
    [
      count(walk.files.length, 'file'),
      count(walk.functions.length, 'function'),
      count(walk.packages.length, 'package'),
      count(walk.crossings.length, 'package crossing'),
    ].join(', '),
    ...walk.crossings.map((crossing) => `  ${crossing}`),
    `${count(walk.upward.length, 'call')} from the registry or below up into HTTP`,
    ...walk.upward.map(({ caller, callee }) => `  ${formatLabel(caller)} → ${formatLabel(callee)}`),
  )
  return lines.join('\n')
}

function formatFunction({ name, line, calls }: WalkedFunction): string {
  return `${name || '(anonymous)'}:${line}${calls > 1 ? ` ×${calls}` : ''}`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
