export const ENVIRONMENT_CHECK = `CHECK (environment IN ('development', 'staging', 'production'))`;
