import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import type { ExecPluginConfig } from './exec-plugin.ts'
import { readText, resolvePath, toStruct } from './kubeconfig-struct.ts'
import type { Struct } from './kubeconfig-struct.ts'

/** The member `exec` of a user. */
export interface UserExecConfig extends Omit<ExecPluginConfig, 'cluster'> {
  readonly provideClusterInfo: boolean
}

/** Reads the member `exec` of a user. Adds client-go's problems. */
export function readExec(
  exec: Struct,
  { name, problems, file }: { readonly name: string; readonly problems: string[]; readonly file: string },
): UserExecConfig {
  const [apiVersion, command, installHint] = ['apiVersion', 'command', 'installHint'].map((member) => readText(exec[member])) as [
    string,
    string,
    string,
  ]
  const list = (member: string): readonly JsonValue[] => (Array.isArray(exec[member]) ? exec[member] : [])
  const env = list('env').map((entry) => ({ name: readText(toStruct(entry)['name']), value: readText(toStruct(entry)['value']) }))
  const interactiveMode = readText(exec['interactiveMode']) || (apiVersion.endsWith('/v1') ? '' : 'IfAvailable')
  const suffix = `for ${name} to use exec authentication plugin`
  if (command === '') problems.push(`command must be specified ${suffix}`)
  if (apiVersion === '') problems.push(`apiVersion must be specified ${suffix}`)
  for (const variable of env) if (variable.name === '') problems.push(`env variable name must be specified ${suffix}`)
  if (interactiveMode === '') problems.push(`interactiveMode must be specified ${suffix}`)
  else if (!isInteractiveMode(interactiveMode)) problems.push(`invalid interactiveMode for ${name}: ${JSON.stringify(interactiveMode)}`)
  return {
    apiVersion,
    // A name without a slash is looked up in PATH.
    command: command.includes('/') ? resolvePath(file, command) : command,
    args: list('args').map(readText),
    env,
    interactiveMode: isInteractiveMode(interactiveMode) ? interactiveMode : 'Never',
    installHint,
    provideClusterInfo: exec['provideClusterInfo'] === true,
  }
}

function isInteractiveMode(text: string): text is ExecPluginConfig['interactiveMode'] {
  return text === 'Never' || text === 'IfAvailable' || text === 'Always'
}

/** Members of a cluster that an exec plugin gets, if it asks for them. */
export function pickClusterMembers(cluster: Struct): JsonObject {
  const names = ['server', 'tls-server-name', 'insecure-skip-tls-verify', 'disable-compression']
  const extensions = Array.isArray(cluster['extensions']) ? cluster['extensions'].map(toStruct) : []
  const config = extensions.find(({ name }) => name === 'client.authentication.k8s.io/exec')?.['extension']
  const members = names.flatMap((name): [string, JsonValue][] => (cluster[name] === undefined ? [] : [[name, cluster[name]]]))
  return { ...Object.fromEntries(members), ...(config !== undefined && { config }) }
}
