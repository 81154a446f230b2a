import type { AdmissionAttributes, AdmissionOperation } from '@keelson/registry'

export type { AdmissionAttributes, AdmissionChain, AdmissionOperation } from '@keelson/registry'

/** A plugin has one or both phases. A phase throws an ApiError to refuse the write. It returns a promise only if it has to wait. */
export interface AdmissionPlugin {
  readonly name: string
  /** The operations that the plugin is called for. Default: CREATE, UPDATE and DELETE. */
  readonly operations?: readonly AdmissionOperation[]
  /**
   * The resources that the plugin is called for. Default: all.
   * A group follows the name ("deployments.apps"). A subresource has an entry of its own ("pods/resize"); "pods/*" is every subresource of pods.
   */
  readonly resources?: readonly string[]
  /** Runs before the registry prepares the object. */
  admit?(attributes: AdmissionAttributes): Promise<void> | void
  /** Runs on the final object. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void
}
