import type { AdmissionAttributes, AdmissionOperation } from '@keelson/registry'

export type { AdmissionAttributes, AdmissionChain, AdmissionOperation } from '@keelson/registry'

/** A plugin has one or both phases. Each throws an ApiError to refuse, and returns a promise only if it has to wait. */
export interface AdmissionPlugin {
  readonly name: string
  /** Default: CREATE, UPDATE and DELETE. */
  readonly operations?: readonly AdmissionOperation[]
  /** Runs before the registry prepares the object. */
  admit?(attributes: AdmissionAttributes): Promise<void> | void
  /** Runs on the final object. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void
}
