import type { AdmissionAttributes, AdmissionOperation } from '@keelson/registry'

export type { AdmissionAttributes, AdmissionChain, AdmissionOperation } from '@keelson/registry'

/**
 * An admission plugin with one or both phases, `admit` and `validate`. A phase throws an ApiError to reject the write. It returns a promise
 * only if it has to wait.
 */
export interface AdmissionPlugin {
  readonly name: string
  /** Operations for which the plugin is called. Default: CREATE, UPDATE and DELETE. */
  readonly operations?: readonly AdmissionOperation[]
  /**
   * Resources for which the plugin is called. Default: all resources. The group follows the name ("deployments.apps"). A subresource needs
   * its own entry ("pods/resize"); "pods/*" matches every subresource of pods.
   */
  readonly resources?: readonly string[]
  /** Mutating phase, which runs before the registry prepares the object. */
  admit?(attributes: AdmissionAttributes): Promise<void> | void
  /** Validating phase, which runs on the final object. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void
}

/** Operations for a plugin that is also called for connections. */
export const allOperations: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT']
