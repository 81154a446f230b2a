import { readFile } from 'node:fs/promises'
import type { UserInfo } from '@keelson/apimachinery'
import { parseCsv } from './csv.ts'
import { createStaticTokens } from './token-authenticator.ts'
import type { TokenAuthenticator } from './token-authenticator.ts'

export interface TokenFile {
  readonly tokens: readonly (readonly [token: string, user: UserInfo])[]
  /** Warnings about empty and duplicate tokens, each with its line number. */
  readonly warnings: readonly string[]
}

/** Parses a token file, whose lines are `token,user,uid` or `token,user,uid,"group1,group2"`. Throws an error that names the invalid line. */
export function parseTokenFile(text: string, fileName: string): TokenFile {
  const tokens = new Map<string, UserInfo>()
  const warnings: string[] = []
  for (const { line, fields } of parseCsv(text, fileName)) {
    const [token, name, uid, groups] = fields
    if (token === undefined || name === undefined || uid === undefined) {
      throw new Error(`${fileName}:${line}: expected at least 3 columns (token, user name, user uid), found ${fields.length}`)
    }
    if (token === '') {
      warnings.push(`${fileName}:${line}: empty token; the line is ignored`)
      continue
    }
    if (tokens.has(token)) warnings.push(`${fileName}:${line}: repeated token; this line replaces the earlier one`)
    tokens.set(token, { name, uid, groups: groups === undefined ? [] : groups.split(',') })
  }
  return { tokens: [...tokens], warnings }
}

export interface OpenTokenFileOptions {
  readonly onWarning?: (text: string) => void
}

/** Creates an authenticator from a token file. The file is read once; later changes have no effect. */
export async function openTokenFile(fileName: string, options: OpenTokenFileOptions = {}): Promise<TokenAuthenticator> {
  const { tokens, warnings } = parseTokenFile(await readFile(fileName, 'utf8'), fileName)
  for (const warning of warnings) options.onWarning?.(warning)
  return createStaticTokens(tokens)
}
