import { checkOptions } from '@keelson/apimachinery'
import { parseIPRanges, parsePortRange } from '@keelson/core-services'
import { checkAuthorization } from './build-authorizer.ts'
import { selectAdmissionPlugins } from './build-admission.ts'
import { buildTlsSettings } from './build-serving.ts'
import { parseServiceOption } from './build-services.ts'
import { findFlowControlProblems } from './build-flow-control.ts'
import { builtinGroups } from './builtin-groups.ts'
import { ConfigurationError } from './configuration-error.ts'
import { ControllerRunner, listEnabledControllers } from './controller-runner.ts'
import { listVersions, findRuntimeConfigProblems } from './enabled-versions.ts'
import { readFeatureGates } from './feature-gates.ts'
import { serverChainChecks } from './options/server-chain-options.ts'
import { checkRequestHeaders } from './request-headers.ts'
import { servicesDefaults } from './options/services.ts'
import { findStorageTypeProblems } from './storage-drivers.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

/**
 * Lists all problems of the options, one sentence each: unknown names, values with a wrong type or out of range, and conflicts. Opens no
 * store and reads no file, so a start can still fail because of the content of a file.
 */
export async function findOptionProblems(options: ServerChainOptions): Promise<readonly string[]> {
  const problems = checkOptions(options, serverChainChecks)
  // The following checks rely on valid names and types.
  if (problems.length > 0) return problems
  const { admission: { configFile: _, ...admission } = {}, features: { gates = {}, runtimeConfig = {} } = {} } = options
  const { clusterIpRange, nodePortRange } = { ...servicesDefaults, ...options.services }
  return [
    ...findStorageTypeProblems(options.storage),
    ...(await collectProblems(() => ControllerRunner.create(listEnabledControllers(options)))),
    ...(await collectProblems(() => selectAdmissionPlugins({ admission }))),
    ...(await collectProblems(() => buildTlsSettings(options))),
    ...(await collectProblems(() => readFeatureGates(gates, () => {}))),
    ...(await collectProblems(() => checkPeerOptions(options))),
    ...findFlowControlProblems(options),
    ...findSigningProblems(options.authentication?.serviceAccounts),
    ...(await collectProblems(() =>
      checkRequestHeaders(
        options.authentication ?? {},
        readFeatureGates(gates, () => {}),
      ),
    )),
    ...(await collectProblems(() => checkAuthorization(options))),
    ...findRuntimeConfigProblems(runtimeConfig, listVersions(options.groups ?? builtinGroups)),
    ...(await collectProblems(() => parseServiceOption(() => parseIPRanges(clusterIpRange)))),
    ...(await collectProblems(() => parseServiceOption(() => parsePortRange(nodePortRange)))),
  ]
}

function checkPeerOptions({ peers: { authorityFile, advertiseAddress, advertisePort } = {}, features }: ServerChainOptions): void {
  const feature = 'UnknownVersionInteroperabilityProxy'
  if (readFeatureGates(features?.gates ?? {}, () => {}).isEnabled(feature)) return
  const flags = { 'peer-ca-file': authorityFile, 'peer-advertise-ip': advertiseAddress, 'peer-advertise-port': advertisePort }
  const problems = Object.entries(flags).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag} requires ${feature} feature to be turned on`],
  )
  if (problems.length > 0) throw new ConfigurationError(problems)
}

function findSigningProblems({
  signingEndpoint = '',
  signingKeyFile,
  keyFiles = [],
}: NonNullable<ServerChainOptions['authentication']>['serviceAccounts'] = {}): readonly string[] {
  if (signingEndpoint === '') return []
  const problems: string[] = []
  if (signingKeyFile !== undefined || keyFiles.length > 0) {
    const files = '`--service-account-signing-key-file` and/or `--service-account-key-file`'
    problems.push(`can't set ${files} with \`--service-account-signing-endpoint\` (They are mutually exclusive)`)
  }
  if (signingEndpoint.startsWith('@') && !/^@([a-zA-Z0-9_-]+\.)*[a-zA-Z0-9_-]+$/.test(signingEndpoint)) {
    const value = `invalid value ${JSON.stringify(signingEndpoint)} passed for \`--service-account-signing-endpoint\``
    problems.push(`${value}, when prefixed with @ must be a valid abstract socket name`)
  }
  return problems
}

async function collectProblems(step: () => unknown): Promise<readonly string[]> {
  try {
    await step()
    return []
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
}
