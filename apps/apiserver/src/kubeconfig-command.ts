import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArguments } from './arguments.ts'
import { createDirectoryType, createDurationType, createFileType, list, createTextType, createPatternType } from './flag-types.ts'
import type { FlagDefinition, FlagValuesOf } from './flag-types.ts'
import { formatHelp } from './help.ts'
import type { Problems } from './start-error.ts'

const group = 'keelson kubeconfig'

const table = {
  user: { group, type: createTextType(), help: 'Name of the user.' },
  group: { group, type: list(), help: 'Group of the user. May be given several times.' },
  uid: { group, type: createTextType(), help: 'UID of the user. Default: none.' },
  expires: { group, type: createDurationType(), default: 365 * 86_400_000, help: 'Lifetime of the certificate.' },
  server: {
    group,
    type: createPatternType(/^https:\/\//, 'an https URL'),
    help: 'URL of the server. Default: that of admin.kubeconfig in --data-dir.',
  },
  'data-dir': { group, type: createDirectoryType(), default: './.keelson', help: 'Directory of the server.' },
  'cert-dir': { group, type: createDirectoryType(), help: "Directory of the server's certificates. Default: certs in --data-dir." },
  output: { group, type: createFileType(), help: 'File to write, which only its owner may read. Default: the kubeconfig is printed.' },
} as const

const flags: ReadonlyMap<string, FlagDefinition> = new Map(Object.entries(table) as unknown as [string, FlagDefinition][])

/**
 * Runs the command `keelson kubeconfig`, which signs a client certificate with the CA of the server. Returns the text to print. If there
 * are problems, adds them to `problems` and returns undefined. It only reads the files of the server, so the server may be running.
 */
export async function runKubeconfigCommand(argv: readonly string[], problems: Problems): Promise<string | undefined> {
  const parsed = parseArguments(argv, flags)
  if (parsed.command === 'help') return formatHelp(flags, process.stdout.columns ?? 100)
  for (const problem of parsed.problems) problems.usage(problem)
  const values = parsed.values as unknown as FlagValuesOf<typeof table>
  const { user: name, uid } = values
  if (!name) problems.usage('--user is missing; it must be the name of the user')
  if (uid === '') problems.usage('--uid must not be empty')
  if (values.expires <= 0) problems.usage('--expires must be longer than 0')
  const adminKubeconfig = await readAdminKubeconfig(path.join(path.resolve(values['data-dir']), 'admin.kubeconfig'))
  const server = values.server ?? adminKubeconfig?.server
  if (server === undefined) {
    problems.usage(
      `there is no admin.kubeconfig in ${values['data-dir']}: set --data-dir to the directory of the server, or set --server and --cert-dir`,
    )
  }
  if (problems.messages.length > 0 || !name || server === undefined) return undefined
  const { createUserKubeconfig, writeKubeconfig } = await import('@keelson/control-plane')
  const certificateDirectory = values['cert-dir'] ?? path.join(path.resolve(values['data-dir']), 'certs')
  try {
    const content = await createUserKubeconfig({
      certificateDirectory,
      server,
      ...(adminKubeconfig && { certificateAuthority: adminKubeconfig.certificateAuthority }),
      user: { name, groups: values.group ?? [], ...(uid !== undefined && { uid }) },
      lifetimeMs: values.expires,
    })
    if (values.output === undefined) return content
    await writeKubeconfig(values.output, content)
    return ''
  } catch (error) {
    problems.failure(
      `the kubeconfig cannot be created with the certificate authority in ${certificateDirectory}: ${(error as Error).message}`,
      error,
    )
    return undefined
  }
}

interface AdminKubeconfig {
  readonly server: string
  readonly certificateAuthority: string
}

/** Reads the server's address from the kubeconfig that the server has written. Returns undefined if the file does not exist. */
async function readAdminKubeconfig(name: string): Promise<AdminKubeconfig | undefined> {
  const content = await readFile(name, 'utf8').catch(() => '')
  const server = /^ {4}server: (\S+)$/m.exec(content)?.[1]
  const authority = /^ {4}certificate-authority-data: (\S+)$/m.exec(content)?.[1]
  if (server === undefined || authority === undefined) return undefined
  return { server, certificateAuthority: Buffer.from(authority, 'base64').toString() }
}
