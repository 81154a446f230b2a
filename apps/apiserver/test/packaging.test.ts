import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parseArguments } from '../src/arguments.ts'
import { flags } from '../src/flags.ts'

const read = (name: string): Promise<string> => readFile(new URL(`../../../packaging/${name}`, import.meta.url), 'utf8')

test.each([
  ['Dockerfile', /^ENTRYPOINT (.*)$/m, (line: string) => JSON.parse(line) as string[]],
  ['keelson.service', /^ExecStart=(.*)$/m, (line: string) => line.split(' ')],
])('keelson has all flags that occur in %s', async (name, pattern, split) => {
  const command = split(pattern.exec(await read(name))?.[1] ?? '')
  const program = command.findIndex((word) => word.endsWith('dist/main.js'))
  expect(program).toBeGreaterThan(0)
  expect(parseArguments(command.slice(program + 1), flags).problems).toEqual([])
})
