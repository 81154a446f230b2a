import type { AdmissionPlugin } from '../admission.ts'
import { allOperations } from '../admission.ts'

/** Creates the plugin AlwaysAdmit. It admits everything. It is deprecated in kube-apiserver and has no effect beyond its metrics. */
export function createAlwaysAdmitPlugin(): AdmissionPlugin {
  return { name: 'AlwaysAdmit', operations: allOperations, admit() {}, validate() {} }
}
