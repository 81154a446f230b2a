import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseAst } from 'rolldown/parseAst'

/** A regular expression literal with its file and line. */
export interface FoundPattern {
  readonly file: string
  readonly line: number
  readonly pattern: RegExp
}

/** Lists the source files of the server, without tests and generated files. */
export function listSourceFiles(root: string): readonly string[] {
  return globSync(['packages/*/src/**/*.ts', 'apps/*/src/**/*.ts'], { cwd: root })
    .filter((file) => !/\.(?:test|test-d|fixture|bench)\.ts$|\/(?:generated|testing)\//.test(file))
    .toSorted()
}

/** Finds the regular expression literals of a file, and whether it constructs others from strings. */
export function findRegularExpressions(
  root: string,
  file: string,
): { readonly literals: readonly FoundPattern[]; readonly constructed: boolean } {
  return findInText(readFileSync(path.join(root, file), 'utf8'), file)
}

export function findInText(text: string, file: string): { readonly literals: readonly FoundPattern[]; readonly constructed: boolean } {
  const literals: FoundPattern[] = []
  let constructed = false
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if (Array.isArray(node)) {
      for (const item of node) visit(item)
      return
    }
    const { type, regex, start, callee } = node as SyntaxNode
    if (type === 'Literal' && regex !== undefined && regex !== null) {
      literals.push({ file, line: text.slice(0, start).split('\n').length, pattern: new RegExp(regex.pattern, regex.flags) })
    } else if ((type === 'NewExpression' || type === 'CallExpression') && callee?.type === 'Identifier' && callee.name === 'RegExp') {
      constructed = true
    }
    for (const value of Object.values(node)) visit(value)
  }
  visit(parseAst(text, { lang: 'ts' }))
  return { literals, constructed }
}

interface SyntaxNode {
  readonly type?: string
  readonly start: number
  readonly regex?: { readonly pattern: string; readonly flags: string } | null
  readonly callee?: { readonly type?: string; readonly name?: string }
}
