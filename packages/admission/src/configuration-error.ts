/** Admission plugins cannot be what was asked for. One sentence with every complaint. */
export class AdmissionConfigurationError extends Error {
  override readonly name = 'AdmissionConfigurationError'
}
