//! The table `[grades]`.

use std::path::{Path, PathBuf};

use super::{check_exists, locate};
use crate::data::{Answer, GradeScale, Items};
use crate::formats::ratings::{read_grades, scale_of};
use crate::formats::settings::Section;
use crate::{Error, Result};

/// What `[grades]` says.
#[derive(Default)]
pub(super) struct GradesSettings {
    /// Whether there is such a table.
    pub given: bool,
    pub file: Option<PathBuf>,
    /// The ends of the scale, as far as they are given.
    ends: [Option<i32>; 2],
}

impl GradesSettings {
    pub fn read(section: Option<Section<'_>>, folder: &Path) -> Result<Self> {
        let Some(section) = section else { return Ok(Self::default()) };
        section.check_keys(&["file", "lowest", "highest"])?;
        let file = locate(&section, folder, "file")?;
        file.iter().try_for_each(|file| check_exists(&section, file, "file"))?;
        let end = |key: &str| section.whole(key, 0, i32::MAX as u64).map(|number| number.map(|number| number as i32));
        let ends = [end("lowest")?, end("highest")?];
        if let [Some(lowest), Some(highest)] = ends
            && GradeScale::new(lowest, highest).is_err()
        {
            return Err(section.reject("highest", "from 2 to 100 grades between lowest and highest").into());
        }
        Ok(Self { given: true, file: file.map(|file| file.value), ends })
    }

    /// The grades of the file, and the scale: its ends are those that are given, else 1 and 5, or those of the file's grades
    /// if these do not fit between.
    pub fn load(&self, project: &Path, items: &Items) -> Result<ProjectGrades> {
        let declared = self.given;
        let Some(file) = &self.file else {
            let scale = self.scale(project, GradeScale::default())?;
            return Ok(ProjectGrades { declared, scale, given: Vec::new() });
        };
        let given = read_grades(file, items, None)?;
        let grades: Vec<i32> = given.iter().filter_map(|answer| answer.outcome.grade()).collect();
        let usual = GradeScale::default();
        let fit = grades.iter().all(|&grade| usual.position(grade).is_some());
        let seen = if fit { usual } else { scale_of(file, grades.iter().copied())? };
        let scale = self.scale(project, seen)?;
        if grades.iter().any(|&grade| scale.position(grade).is_none()) {
            // The second reading says where.
            read_grades(file, items, Some(scale))?;
        }
        Ok(ProjectGrades { declared, scale, given })
    }

    /// The scale whose ends are those that are given, else those of another one.
    fn scale(&self, project: &Path, other: GradeScale) -> Result<GradeScale> {
        let [lowest, highest] = self.ends;
        GradeScale::new(lowest.unwrap_or(other.lowest()), highest.unwrap_or(other.highest()))
            .map_err(|error| Error::In { file: project.to_path_buf(), error: Box::new(error) })
    }
}

/// The grades of a project: those that there are, and those that are given besides the answer log.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectGrades {
    /// Whether the project file has a table `[grades]`.
    pub declared: bool,
    /// The grades that there are.
    pub scale: GradeScale,
    /// Grades from a file. They cannot be taken back.
    pub given: Vec<Answer>,
}
