import type { Service } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { AdmissionPlugin } from '../admission.ts'
import { forbidden } from '../forbidden.ts'

/** Creates the plugin DenyServiceExternalIPs. It rejects external IPs that a service does not have yet. Removing them is allowed. */
export function denyServiceExternalIPs(): AdmissionPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    operations: ['CREATE', 'UPDATE'],
    resources: ['services'],
    validate(attributes) {
      const known = externalIPs(attributes.oldObject)
      if (externalIPs(attributes.object).every((ip) => known.includes(ip))) return
      throw forbidden(attributes, 'Use of external IPs is denied by admission control')
    },
  }
}

function externalIPs(service: DeepReadonly<Service> | undefined): readonly string[] {
  return service?.spec?.externalIPs ?? []
}
