import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** An event of the audit log. */
export interface Event {
  readonly auditID: string
  readonly level: string
  readonly stage: string
  readonly verb: string
  readonly requestURI: string
  readonly user: { readonly username?: string; readonly groups?: readonly string[] }
  readonly impersonatedUser?: object
  readonly objectRef?: Record<string, string>
  readonly responseStatus?: Record<string, unknown>
  readonly requestObject?: Record<string, unknown>
  readonly responseObject?: Record<string, unknown>
  readonly annotations?: Record<string, string>
}

/** Returns the path of the audit log in a directory. */
export function locateLog(directory: string): string {
  return path.join(directory, 'audit.log')
}

/** Writes an audit policy with these members in YAML. Returns its path. */
export async function writePolicy(directory: string, members: string): Promise<string> {
  const file = path.join(directory, 'policy.yaml')
  await writeFile(file, `apiVersion: audit.k8s.io/v1\nkind: Policy\n${members}\n`)
  return file
}

export async function readEvents(directory: string): Promise<readonly Event[]> {
  const text = await readFile(locateLog(directory), 'utf8')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event)
}
