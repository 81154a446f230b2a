import { isNumber, isString, isListOf } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import { kubeletDefaults } from '@keelson/core-services'
import type { KubeletOptions } from '@keelson/core-services'

/** Options of connections to kubelets. All files are in PEM. */
export interface KubeletClientOptions extends Omit<KubeletOptions, 'readTls' | 'dial'> {
  /** File with the CAs of the kubelets' certificates. Default: certificates of kubelets are not verified. */
  readonly authorityFile?: string
  /** File with the client certificate that is sent to kubelets. Default: no certificate, which most kubelets reject. */
  readonly certificateFile?: string
  readonly keyFile?: string
}

export { kubeletDefaults }

export const kubeletChecks: OptionTable<KubeletClientOptions> = {
  port: isNumber({ max: 65_535, integer: true }),
  preferredAddressTypes: isListOf(isString),
  timeoutMs: isNumber(),
  authorityFile: isString,
  certificateFile: isString,
  keyFile: isString,
}
