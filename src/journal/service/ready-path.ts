/** The path that a service is asked for where the scenario names none. */
export const DEFAULT_READY = '/health';
