import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ServerChainOptions } from '@keelson/control-plane'
import { expect, test } from 'vitest'
import { parseArguments } from '../arguments.ts'
import { flags } from '../flags.ts'
import { Problems } from '../start-error.ts'
import { readMetricsOptions } from './metrics.ts'

async function read(...argv: string[]): Promise<{ readonly options: ServerChainOptions['metrics']; readonly problems: readonly string[] }> {
  const problems = new Problems()
  const parsed = parseArguments(argv, flags)
  const options = await readMetricsOptions(parsed.values, problems)
  return { options, problems: [...parsed.problems, ...problems.messages] }
}

async function readManifest(text: string): ReturnType<typeof read> {
  const directory = mkdtempSync(path.join(tmpdir(), 'keelson-metrics-'))
  const file = path.join(directory, 'labels.yaml')
  writeFileSync(file, text)
  try {
    return await read(`--allow-metric-labels-manifest=${file}`)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

test('reads the flags', async () => {
  expect(await read()).toEqual({ options: { disabled: [], showHidden: false, allowedLabels: {} }, problems: [] })
  const { options, problems } = await read('--disabled-metrics=a_total,b', '--show-hidden-metrics-for-version=1.35')
  expect(problems).toEqual([])
  expect(options).toEqual({ disabled: ['a_total', 'b'], showHidden: true, allowedLabels: {} })
})

test.each<[string, string[]]>([
  ['repeated flags', ['--allow-metric-labels=m,a=1,2', '--allow-metric-labels=m,b=']],
  ['quoted pairs', ['--allow-metric-labels="m,a=1,2","m,b="']],
])('reads allowed labels from %s', async (_, argv) => {
  expect(await read(...argv)).toMatchObject({ options: { allowedLabels: { 'm,a': ['1', '2'], 'm,b': [''] } }, problems: [] })
})

test('reads allowed labels from a manifest', async () => {
  const manifest = '"m,a": "1,2"\n"m,b": ""\n'
  expect(await readManifest(manifest)).toMatchObject({ options: { allowedLabels: { 'm,a': ['1', '2'], 'm,b': [''] } }, problems: [] })
})

test.each<[string, string[]]>([
  ['is not one of 1.35', ['--show-hidden-metrics-for-version=1.36']],
  ['must be fully qualified metric names, not "a b"', ['--disabled-metrics=a b']],
  ['must have keys with format metricName,labelName, not "m"', ['--allow-metric-labels=m=1']],
  ['pairs like', ['--allow-metric-labels=m']],
  ['cannot be specified together', ['--allow-metric-labels=m,a=1', '--allow-metric-labels-manifest=/dev/null']],
  ['cannot read /none', ['--allow-metric-labels-manifest=/none']],
])('reports: %s', async (text, argv) => {
  expect((await read(...argv)).problems).toEqual([expect.stringContaining(text)])
})

test.each(['m: "1"', '"m,a": [1]', '[', '"m,a": 1'])('reports a wrong manifest: %s', async (text) => {
  expect((await readManifest(text)).problems).toEqual([expect.stringContaining('--allow-metric-labels-manifest')])
})
