import { globSync } from 'node:fs'
import path from 'node:path'

/** A path in a Markdown document that does not exist. */
export interface MissingPath {
  readonly line: number
  readonly path: string
}

/**
 * Finds the paths in backticks and links of a Markdown document that do not exist. A path contains a slash, and ends with a file extension or a slash or
 * starts with a folder of the repository. `<name>`, `*` and `{a,b}` are wildcards. Paths may be relative to the root, to the document's folder, to
 * the `src` folder next to the document, or to `packages`.
 */
export function findMissingPaths(markdown: string, folder: string, root: string): readonly MissingPath[] {
  const bases = [path.join(root, folder), path.join(root, folder, 'src'), root, path.join(root, 'packages')]
  return listNamedPaths(markdown).filter((named) => {
    const pattern = named.path.replace(/<[^>]*>/g, '*').replace(/\/$/, '')
    return !bases.some((cwd) => globSync(pattern, { cwd }).length > 0)
  })
}

function listNamedPaths(markdown: string): readonly MissingPath[] {
  const text = markdown.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ' '))
  return text.split('\n').flatMap((content, i) =>
    [...content.matchAll(/`([^`\s]+)`|\]\(([^)\s#]+)\)/g)].flatMap(([, code, link]) => {
      const reference = code ?? link!
      const isPath = link === undefined ? isFilePath(reference) : !/^[a-z]+:/.test(reference)
      return isPath ? [{ line: i + 1, path: reference }] : []
    }),
  )
}

function isFilePath(code: string): boolean {
  if (!/^[\w.][\w.@-]*(?:\/[\w.@*<>{},-]+)+\/?$/.test(code)) return false
  if (code.startsWith('..') || code.includes('node_modules') || code.includes('/dist')) return false
  return /\.(?:ts|mjs|md|json|yaml|yml)$/.test(code) || /^(?:packages|tooling|src|docs|packaging|\.github|\.vscode)\//.test(code)
}
