import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describeDifference } from './expected.ts'
import type { Outcome, Text } from './expected.ts'
import type { Kubectl, RunOptions } from './kubectl.ts'
import { splitWords } from './split-words.ts'

/** A command with its expected output and its input. By default it must print the text to stdout, nothing to stderr, and exit with 0. */
export type Step = readonly [command: string, expected: Text | Outcome, input?: string]

/** Runs kubectl in its own namespace and directory. */
export class Session {
  readonly kubectl: Kubectl
  readonly namespace: string
  readonly directory: string

  constructor(kubectl: Kubectl, namespace: string, directory: string) {
    this.kubectl = kubectl
    this.namespace = namespace
    this.directory = directory
  }

  async play(...steps: readonly Step[]): Promise<void> {
    for (const [command, expected, input] of steps) {
      const { code, stdout, stderr } = await this.kubectl.try(splitWords(command), input === undefined ? {} : { input })
      const outcome: Outcome = isText(expected) ? { stdout: expected } : expected
      const wrong = [
        ...(code === (outcome.code ?? 0) ? [] : [`exit code ${code}`]),
        ...listDifferences('stdout', stdout, outcome.stdout),
        ...listDifferences('stderr', stderr, outcome.stderr),
      ]
      if (wrong.length > 0) throw new Error(`kubectl ${command}\n${wrong.join('\n')}\n--- stdout\n${stdout}--- stderr\n${stderr}`)
    }
  }

  /** Runs a kubectl command. Throws if its exit code is not 0. */
  run(command: string, options?: RunOptions): Promise<string> {
    return this.kubectl.run(splitWords(command), options)
  }

  start(command: string): ReturnType<Kubectl['start']> {
    return this.kubectl.start(splitWords(command))
  }

  /** Writes a file to the session's directory, for `-f NAME`. */
  async write(name: string, content: string, mode = 0o644): Promise<string> {
    const file = path.join(this.directory, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, content, { mode })
    return file
  }
}

function isText(expected: Text | Outcome): expected is Text {
  return typeof expected === 'string' || expected instanceof RegExp || Array.isArray(expected)
}

function listDifferences(stream: string, printed: string, expected: Text = ''): readonly string[] {
  const difference = describeDifference(printed, expected)
  return difference === undefined ? [] : [`${stream}: ${difference}`]
}
