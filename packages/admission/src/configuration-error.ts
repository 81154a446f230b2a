/** The selection or configuration of admission plugins is invalid. One message lists all problems. */
export class AdmissionConfigurationError extends Error {
  override readonly name = 'AdmissionConfigurationError'
}
