import { isNumber, isString, listOf } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import { kubeletDefaults } from '@keelson/core-services'
import type { KubeletOptions } from '@keelson/core-services'

/** Connections to the kubelets of nodes. Files are PEM. */
export interface KubeletClientOptions extends Omit<KubeletOptions, 'tls'> {
  /** CAs of the kubelets' certificates. Default: certificates are not verified. */
  readonly authorityFile?: string
  /** Client certificate for kubelets. Default: none, which most kubelets reject. */
  readonly certificateFile?: string
  readonly keyFile?: string
}

export { kubeletDefaults }

export const kubeletChecks: OptionTable<KubeletClientOptions> = {
  port: isNumber({ max: 65_535, integer: true }),
  preferredAddressTypes: listOf(isString),
  timeoutMs: isNumber(),
  authorityFile: isString,
  certificateFile: isString,
  keyFile: isString,
}
