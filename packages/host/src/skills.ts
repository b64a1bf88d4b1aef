export { createSkills } from './skills/create-skills.js';
export type {
  Skill,
  SkillDirectory,
  SkillFile,
  SkillFileEntry,
  SkillList,
  Skills,
  SkillsOptions,
} from './skills/skills.js';
