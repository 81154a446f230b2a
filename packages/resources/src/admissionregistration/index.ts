import { admissionregistrationV1 } from '@keelson/api/admissionregistration/v1'
import { admissionregistrationV1beta1 } from '@keelson/api/admissionregistration/v1beta1'
import { admissionregistrationV1alpha1 } from '@keelson/api/admissionregistration/v1alpha1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { mutatingAdmissionPolicies } from './mutatingadmissionpolicies/index.ts'
import { mutatingAdmissionPolicyBindings } from './mutatingadmissionpolicybindings/index.ts'
import { mutatingWebhookConfigurations } from './mutatingwebhookconfigurations/index.ts'
import { createPolicyBindingHooks, createPolicyHooks } from './param-access.ts'
import type { ParamAuthority } from './param-access.ts'
import { validatingAdmissionPolicies } from './validatingadmissionpolicies/index.ts'
import { validatingAdmissionPolicyBindings } from './validatingadmissionpolicybindings/index.ts'
import { validatingWebhookConfigurations } from './validatingwebhookconfigurations/index.ts'

/** Services of the server that the group uses. */
export interface PolicyServices {
  /** Returns the authority for parameter checks. `policies` is the plural name of the policy kind that bindings refer to. */
  createParamAuthority(this: void, policies: string): ParamAuthority
}

export const admissionregistration: ApiGroup<PolicyServices> = defineApiGroup({
  name: 'admissionregistration.k8s.io',
  priority: 16700,
  types: [admissionregistrationV1, admissionregistrationV1beta1, admissionregistrationV1alpha1],
  resources: [
    mutatingAdmissionPolicies,
    mutatingAdmissionPolicyBindings,
    mutatingWebhookConfigurations,
    validatingAdmissionPolicies,
    validatingAdmissionPolicyBindings,
    validatingWebhookConfigurations,
  ],
  createExtensions({ createParamAuthority: paramAuthority }: PolicyServices) {
    const mutating = paramAuthority('mutatingadmissionpolicies')
    const validating = paramAuthority('validatingadmissionpolicies')
    return {
      hooks: {
        mutatingadmissionpolicies: () => createPolicyHooks(mutatingAdmissionPolicies, mutating),
        mutatingadmissionpolicybindings: () => createPolicyBindingHooks(mutatingAdmissionPolicyBindings, mutating),
        validatingadmissionpolicies: () => createPolicyHooks(validatingAdmissionPolicies, validating),
        validatingadmissionpolicybindings: () => createPolicyBindingHooks(validatingAdmissionPolicyBindings, validating),
      },
    }
  },
})
