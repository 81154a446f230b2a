/** Enum values of the group, in the order in which errors list them. */
export const failurePolicies: readonly string[] = ['Fail', 'Ignore']
export const matchPolicies: readonly string[] = ['Equivalent', 'Exact']
export const reinvocationPolicies: readonly string[] = ['IfNeeded', 'Never']
