import { readFile } from 'node:fs/promises'
import { parseYaml } from '@keelson/apimachinery/yaml'
import type { ServerChainOptions } from '@keelson/control-plane'
import { createChoiceType, createFileType, createQuotedPairsType, list } from '../flag-types.ts'
import type { FlagValuesOf } from '../flag-types.ts'
import { StartError } from '../start-error.ts'
import type { Problems } from '../start-error.ts'

const group = 'Metrics'

/** Flags of metrics. Names and defaults are the same as in kube-apiserver. */
export const metricsFlags = {
  'allow-metric-labels': {
    group,
    type: createQuotedPairsType(),
    help: 'Allowed values of a label of a metric: metric,label=value1,value2. Other values become "unexpected". Repeat the flag for each label.',
  },
  'allow-metric-labels-manifest': {
    group,
    type: createFileType(),
    help: 'YAML file with the map of --allow-metric-labels: "metric,label": "value1,value2". Not with --allow-metric-labels.',
  },
  'disabled-metrics': { group, type: list(), help: 'Full names of metrics that are not served.' },
  'show-hidden-metrics-for-version': {
    group,
    type: createChoiceType('1.35'),
    help: 'Serve metrics that are hidden because of their deprecation. Only the previous version is allowed.',
  },
} as const

const metricName = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const namePattern = new RegExp(`^${metricName}$`)
const keyPattern = new RegExp(`^${metricName},[a-zA-Z_][a-zA-Z0-9_]*$`)

export async function readMetricsOptions(
  values: FlagValuesOf<typeof metricsFlags>,
  problems: Problems,
): Promise<NonNullable<ServerChainOptions['metrics']>> {
  const disabled = values['disabled-metrics'] ?? []
  for (const name of disabled)
    if (!namePattern.test(name)) problems.usage(`--disabled-metrics must be fully qualified metric names, not ${JSON.stringify(name)}`)
  const pairs = values['allow-metric-labels']
  const file = values['allow-metric-labels-manifest']
  if (pairs !== undefined && file !== undefined)
    problems.usage('--allow-metric-labels and --allow-metric-labels-manifest cannot be specified together')
  for (const [key] of pairs ?? []) if (!keyPattern.test(key)) problems.usage(`--allow-metric-labels ${describeKey(key)}`)
  const allowed = pairs ?? (file === undefined ? [] : await problems.attempt(() => readManifest(file)))
  return {
    disabled,
    showHidden: values['show-hidden-metrics-for-version'] !== undefined,
    allowedLabels: Object.fromEntries((allowed ?? []).map(([key, text]) => [key, text.split(',')])),
  }
}

function describeKey(key: string): string {
  return `must have keys with format metricName,labelName, not ${JSON.stringify(key)}`
}

async function readManifest(file: string): Promise<readonly (readonly [string, string])[]> {
  let document: unknown
  try {
    document = parseYaml(await readFile(file, 'utf8')).value
  } catch (error) {
    throw new StartError(`--allow-metric-labels-manifest: cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
  const entries = Object.entries(document ?? {})
  for (const [key, text] of entries) {
    const problem = keyPattern.test(key) ? typeof text !== 'string' && `the value of ${key} must be a text` : describeKey(key)
    if (problem !== false) throw new StartError(`--allow-metric-labels-manifest: ${file}: ${problem}`)
  }
  return entries as [string, string][]
}
