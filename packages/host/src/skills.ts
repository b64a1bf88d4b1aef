/** Skills of a server (SEP-2640), each file verified before it is used. */
export { createSkills, type Skills, type SkillsOptions } from './skills/skills.js';
export type { Skill, SkillFile, SkillList } from './skills/skill.js';
