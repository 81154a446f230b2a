import type { Service } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { AdmissionPlugin } from '../admission.ts'
import { newForbiddenWrite } from '../forbidden.ts'

/** Creates the plugin DenyServiceExternalIPs. It rejects external IPs that a service does not have yet. Removing them is allowed. */
export function denyServiceExternalIPs(): AdmissionPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    operations: ['CREATE', 'UPDATE'],
    resources: ['services'],
    validate(attributes) {
      const knownNames = listExternalIPs(attributes.oldObject)
      if (listExternalIPs(attributes.object).every((ip) => knownNames.includes(ip))) return
      throw newForbiddenWrite(attributes, 'Use of external IPs is denied by admission control')
    },
  }
}

function listExternalIPs(service: DeepReadonly<Service> | undefined): readonly string[] {
  return service?.spec?.externalIPs ?? []
}
