import { lstat, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArguments } from '../arguments.ts'
import { createFileType, createTextType } from '../flag-types.ts'
import type { FlagDefinition, FlagValuesOf } from '../flag-types.ts'
import { formatHelp } from '../help.ts'
import type { Problems } from '../start-error.ts'

const group = 'keelson envtest-assets DIR'

const table = {
  // Controllers that create objects in each namespace are off, because tests for envtest expect that a new namespace is empty, as it is with
  // kube-apiserver alone.
  controllers: {
    group,
    type: createTextType(),
    default: '*,-serviceaccount-controller,-root-ca-certificate-publisher-controller',
    help: 'Controllers that kube-apiserver runs. none: namespaces do not end, and dependents are not deleted, as with kube-apiserver alone.',
  },
  kubectl: { group, type: createFileType(), help: 'kubectl to link into the directory. Default: the one in PATH.' },
} as const

const flags: ReadonlyMap<string, FlagDefinition> = new Map(Object.entries(table) as unknown as [string, FlagDefinition][])

/** The program's entry point and the executable that runs it. */
export interface ProgramPaths {
  readonly node: string
  /** Flags of node, such as those that load TypeScript. */
  readonly nodeFlags: readonly string[]
  readonly entry: string
}

/**
 * Runs the command `keelson envtest-assets DIR`, which writes programs named kube-apiserver and etcd, and a link to kubectl. With the directory as
 * KUBEBUILDER_ASSETS, envtest of controller-runtime and similar tools of other languages start this server. Returns the text to print. If there are
 * problems, adds them to `problems` and returns undefined.
 */
export async function runAssetsCommand(argv: readonly string[], paths: ProgramPaths, problems: Problems): Promise<string | undefined> {
  const directories = argv.filter((argument) => !argument.startsWith('-'))
  const parsed = parseArguments(
    argv.filter((argument) => argument.startsWith('-')),
    flags,
  )
  if (parsed.command === 'help') return formatHelp(flags, process.stdout.columns ?? 100)
  for (const problem of parsed.problems) problems.usage(problem)
  if (process.platform === 'win32') problems.usage('envtest-assets needs a POSIX shell, so it does not work on Windows')
  const [directory] = directories
  if (directory === undefined || directories.length > 1) problems.usage('name one directory for the programs: keelson envtest-assets DIR')
  if (problems.messages.length > 0 || directory === undefined) return undefined
  const values = parsed.values as unknown as FlagValuesOf<typeof table>
  const absolute = path.resolve(directory)
  await mkdir(absolute, { recursive: true })
  await writeProgram(path.join(absolute, 'etcd'), ['envtest-etcd'], paths)
  await writeProgram(path.join(absolute, 'kube-apiserver'), ['envtest-apiserver', `--controllers=${values.controllers}`], paths)
  const kubectl = values.kubectl ?? (await findInPath('kubectl', absolute))
  if (kubectl !== undefined) await replaceLink(path.join(absolute, 'kubectl'), path.resolve(kubectl))
  else process.stderr.write('keelson: there is no kubectl in PATH; name one with --kubectl=FILE if tests use it\n')
  return `export KUBEBUILDER_ASSETS=${quoteForShell(absolute)}\n`
}

/** Writes a shell script, because the path of Node may be too long for a `#!` line or contain spaces. */
async function writeProgram(file: string, command: readonly string[], { node, nodeFlags, entry }: ProgramPaths): Promise<void> {
  const line = [node, ...nodeFlags, entry, ...command].map(quoteForShell).join(' ')
  await rm(file, { force: true })
  await writeFile(file, `#!/bin/sh\nexec ${line} "$@"\n`, { mode: 0o755 })
}

function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Returns the program of this name in PATH. Skips the directory that gets the link. */
async function findInPath(name: string, skipped: string): Promise<string | undefined> {
  for (const directory of (process.env['PATH'] ?? '').split(path.delimiter)) {
    const file = path.join(directory, name)
    if (directory !== '' && path.resolve(directory) !== skipped && (await isPresent(file))) return file
  }
  return undefined
}

async function replaceLink(link: string, target: string): Promise<void> {
  if (link === target) return
  await rm(link, { force: true })
  await symlink(target, link)
}

async function isPresent(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  )
}
