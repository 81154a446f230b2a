import { optionProblems } from '@keelson/apimachinery'
import { defaultClusterIPRange, parseIPRanges, parsePortRange } from '@keelson/core-services'
import { buildAuthorizer } from './build-authentication.ts'
import { selectAdmissionPlugins } from './build-admission.ts'
import { tlsOf } from './build-serving.ts'
import { forServices } from './build-services.ts'
import { builtinGroups } from './builtin-groups.ts'
import { ConfigurationError } from './configuration-error.ts'
import { ControllerRunner, wantedControllers } from './controller-runner.ts'
import { namedVersions, runtimeConfigProblems } from './enabled-versions.ts'
import { readFeatureGates } from './feature-gates.ts'
import { optionTable, storageTypeProblems } from './option-table.ts'
import type { ServerChainOptions } from './server-chain-options.ts'

/**
 * Everything that is wrong with the options themselves, one sentence each: names that are unknown, values of a wrong type, out of range or in conflict.
 * Opens no store and reads no file, so the contents of files can still stop a start.
 */
export async function findOptionProblems(options: ServerChainOptions): Promise<readonly string[]> {
  const problems = optionProblems(options, optionTable)
  // What follows takes names and types for granted.
  if (problems.length > 0) return problems
  const { admission: { configFile: _, ...admission } = {}, featureGates = {}, runtimeConfig = {} } = options
  const { serviceClusterIpRange = defaultClusterIPRange, serviceNodePortRange = '30000-32767' } = options
  return [
    ...storageTypeProblems(options),
    ...(await problemsOf(() => ControllerRunner.create(wantedControllers(options)))),
    ...(await problemsOf(() => selectAdmissionPlugins({ admission }))),
    ...(await problemsOf(() => tlsOf(options))),
    ...(await problemsOf(() => readFeatureGates(featureGates, () => {}))),
    ...(await problemsOf(() => buildAuthorizer(options))),
    ...runtimeConfigProblems(runtimeConfig, namedVersions(options.groups ?? builtinGroups)),
    ...(await problemsOf(() => forServices(() => parseIPRanges(serviceClusterIpRange)))),
    ...(await problemsOf(() => forServices(() => parsePortRange(serviceNodePortRange)))),
  ]
}

async function problemsOf(step: () => unknown): Promise<readonly string[]> {
  try {
    await step()
    return []
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
}
