/** Allowed values of `failurePolicy`, in the order in which error messages list them. */
export const failurePolicies: readonly string[] = ['Fail', 'Ignore']
export const matchPolicies: readonly string[] = ['Equivalent', 'Exact']
export const reinvocationPolicies: readonly string[] = ['IfNeeded', 'Never']
