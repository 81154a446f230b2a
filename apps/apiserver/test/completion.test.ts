import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shells } from '../src/arguments.ts'
import type { Shell } from '../src/arguments.ts'
import { createCompletionScript } from '../src/completion.ts'
import { flags } from '../src/flags.ts'

const run = promisify(execFile)
const isInstalled = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-completion-'))
  for (const shell of shells) await writeFile(path.join(directory, `script.${shell}`), createCompletionScript(shell))
  await mkdir(path.join(directory, 'a directory'))
  await writeFile(path.join(directory, 'a file.crt'), '')
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test.each(shells)('the script for %s contains every flag', (shell: Shell) => {
  const script = createCompletionScript(shell)
  for (const name of flags.keys()) expect(script).toContain(shell === 'fish' ? ` ${name} ` : name)
})

/** Returns the completions that bash offers for the last word. */
async function completeWords(...words: string[]): Promise<string[]> {
  const script = `
    source script.bash
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _keelson
    printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await run('bash', ['--norc', '-c', script, 'bash', 'keelson', ...words], { cwd: directory })
  return stdout.split('\n').filter((line) => line !== '')
}

test.skipIf(!isInstalled('bash')).each([
  [[''], ['completion', 'help', 'kubeconfig', 'version']],
  [['ver'], ['version']],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish', 'powershell'],
  ],
  [['--tls-p'], ['--tls-private-key-file=']],
  [['--watch-cache-'], ['--watch-cache-sizes=']],
  [['-v=4', '--anon'], ['--anonymous-auth']],
  [
    ['--storage-backend', '='],
    ['embedded', 'memory', 'etcd3'],
  ],
  [['--storage-backend', '=', 'm'], ['memory']],
  [
    ['--storage-backend', 'e'],
    ['embedded', 'etcd3'],
  ],
  [
    ['--anonymous-auth', '=', ''],
    ['true', 'false'],
  ],
  [['--data-dir', '=', 'a'], ['a directory']],
  [
    ['--tls-cert-file', 'a'],
    ['a directory', 'a file.crt'],
  ],
  [['--secure-port', '=', ''], []],
])('bash completes %j to %j', async (words, expected) => {
  expect((await completeWords(...words)).toSorted()).toEqual(expected.toSorted())
})

test.skipIf(!isInstalled('zsh'))('zsh reads its script', async () => {
  await run('zsh', ['-f', '-c', 'autoload -Uz compinit && compinit -u -d ./dump && source ./script.zsh && whence -w _keelson'], {
    cwd: directory,
  })
})

test.skipIf(!isInstalled('fish'))('fish completes flags and values', async () => {
  const complete = async (line: string): Promise<string> =>
    (await run('fish', ['-c', `source script.fish; complete -C '${line}'`], { cwd: directory })).stdout
  expect(await complete('keelson --storage-backend=m')).toContain('memory')
  expect(await complete('keelson --tls-p')).toContain('--tls-private-key-file')
})
