import path from 'node:path'
import { readStrictMembers, readStringMember } from '../strict-members.ts'

/** The configuration of a webhook plugin in the file of `--admission-control-config-file`. */
export interface WebhookAdmissionConfiguration {
  /** Kubeconfig with the users whose credentials are sent to webhooks. */
  readonly kubeConfigFile: string | undefined
}

const kind = 'WebhookAdmissionConfiguration'
const apiVersion = 'apiserver.config.k8s.io/v1'

/** Reads the configuration of a webhook plugin. Throws an error if it is invalid. */
export function readWebhookConfiguration(configuration: unknown): WebhookAdmissionConfiguration {
  if (configuration === undefined) return { kubeConfigFile: undefined }
  const members = readStrictMembers(configuration, '', ['kind', 'apiVersion', 'kubeConfigFile', 'staticManifestsDir'])
  const sent = { kind: readStringMember(members, 'kind', ''), apiVersion: readStringMember(members, 'apiVersion', '') }
  if (sent.kind !== kind || sent.apiVersion !== apiVersion) {
    const found = `a ${JSON.stringify(sent.kind)} of ${JSON.stringify(sent.apiVersion)}`
    throw new Error(`the configuration is ${found}, not a ${kind} of ${JSON.stringify(apiVersion)}`)
  }
  const file = readStringMember(members, 'kubeConfigFile', '')
  if (file !== '' && !path.isAbsolute(file)) {
    throw new Error(`kubeConfigFile: Invalid value: ${JSON.stringify(file)}: must be an absolute file path`)
  }
  const manifests = readStringMember(members, 'staticManifestsDir', '')
  if (manifests !== '') {
    throw new Error(
      `static webhook manifests dir ${JSON.stringify(manifests)} configured but ManifestBasedAdmissionControlConfig feature gate is not enabled`,
    )
  }
  return { kubeConfigFile: file === '' ? undefined : file }
}
