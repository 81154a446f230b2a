import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import { allOperations } from '../admission.ts'
import { newForbiddenWrite } from '../forbidden.ts'

/** Creates the plugin AlwaysDeny. It rejects every write and every connection. It is deprecated in kube-apiserver. */
export function createAlwaysDenyPlugin(): AdmissionPlugin {
  return { name: 'AlwaysDeny', operations: allOperations, admit: deny, validate: deny }
}

function deny(attributes: AdmissionAttributes): never {
  throw newForbiddenWrite(attributes, 'admission control is denying all modifications')
}
