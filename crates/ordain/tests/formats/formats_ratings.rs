//! Tables of ratings, and files of what users share.

use ordain::data::{GradeScale, ItemId, Items};
use ordain::formats::read_ratings;
use ordain::gp::{Belief, CollaborativeParams, RankingParams};
use ordain::learn::{GradesAs, Likeness, RatersModel, RatersParams};

use super::{Folder, input};

#[test]
fn grades_by_user() {
    let folder = Folder::new();
    folder.write("a.csv", "time,Worker,item,rating\n1,ann,x,2\n2,bob,y,4.0\n3,ann,y,-1\n4,ann,x,2\n");
    let ratings = read_ratings(folder.path("a.csv"), None, None).unwrap();
    assert_eq!(ratings.users(), ["ann", "bob"]);
    assert_eq!(ratings.items().ids(), ["x", "y"]);
    assert_eq!(ratings.scale(), Some(GradeScale::new(-1, 4).unwrap()));
    assert_eq!(ratings.opinions()[0].grades, [(ItemId(0), 3), (ItemId(1), 0), (ItemId(0), 3)]);
    assert_eq!(ratings.counts(), [1, 0, 0, 2, 0, 1]);
    assert_eq!((ratings.user("bob"), ratings.user("eve")), (Some(1), None));
    // Known items, a given scale, JSONL, no line feed at the end.
    let known = Items::from_ids(["z", "y", "x"]).unwrap();
    folder.write(
        "a.jsonl",
        "{\"user\": \"u\", \"item\": \"x\", \"grade\": 1}\n{\"user\": \"u\", \"item\": \"z\", \"grade\": 3}",
    );
    let ratings = read_ratings(folder.path("a.jsonl"), Some(&known), Some(GradeScale::new(1, 5).unwrap())).unwrap();
    assert_eq!(ratings.opinions()[0].grades, [(ItemId(2), 0), (ItemId(0), 2)]);
    // One grade alone has a scale of two.
    folder.write("one.csv", "user,item,grade\nu,x,3\n");
    assert_eq!(read_ratings(folder.path("one.csv"), None, None).unwrap().scale(), GradeScale::new(3, 4).ok());
    let error = input(read_ratings(folder.path("one.csv"), None, GradeScale::new(1, 2).ok()), "one.csv");
    assert_eq!((error.line, error.column.as_deref()), (Some(2), Some("grade")));
    folder.write("huge.csv", "user,item,grade\nu,x,99999999999\n");
    input(read_ratings(folder.path("huge.csv"), None, None), "huge.csv");
}

#[test]
fn answers_by_judge() {
    let folder = Folder::new();
    folder.write("a.csv", "first,second,outcome,judge\na,b,first,ann\nb,c,tie,bob\na,c,second,ann\n,,undo,ann\n");
    let ratings = read_ratings(folder.path("a.csv"), None, None).unwrap();
    assert_eq!((ratings.users(), ratings.scale()), (&["ann".to_owned(), "bob".to_owned()][..], None));
    assert_eq!(ratings.opinions().iter().map(|user| user.answers.len()).collect::<Vec<_>>(), [1, 1]);
}

/// A log of pairs and grades: what an item's judge graded, and what else he said.
#[test]
fn grades_among_answers() {
    let folder = Folder::new();
    folder.write("a.csv", "first,second,outcome,judge\na,b,first,ann\nb,,grade:4,ann\na,,grade:2,bob\nb,,skip,bob\n");
    let ratings = read_ratings(folder.path("a.csv"), None, None).unwrap();
    assert_eq!(ratings.scale(), GradeScale::new(2, 4).ok());
    assert_eq!(ratings.opinions()[0].grades, [(ItemId(1), 2)]);
    assert_eq!(ratings.opinions()[1].grades, [(ItemId(0), 0)]);
    assert_eq!(ratings.opinions().iter().map(|user| user.answers.len()).collect::<Vec<_>>(), [1, 1]);
    let error = input(read_ratings(folder.path("a.csv"), None, GradeScale::new(3, 5).ok()), "a.csv");
    assert_eq!((error.line, error.found.as_deref()), (Some(4), Some("grade:2")));
}

#[test]
fn scales() {
    assert!(GradeScale::new(1, 1).is_err() && GradeScale::new(0, 100).is_err() && GradeScale::new(5, 1).is_err());
    assert!(GradeScale::new(i32::MIN, i32::MAX).is_err() && GradeScale::of([]).is_err());
    let scale = GradeScale::new(-1, 3).unwrap();
    assert_eq!((scale.count(), scale.position(3), scale.position(4), scale.grade(0)), (5, Some(4), None, -1));
    assert_eq!(scale.to_string(), "-1 to 3");
}

/// A model that was saved and read again believes the same, to the bit, with grades of both kinds and with answers.
#[test]
fn a_model_outlives_its_file() {
    let folder = Folder::new();
    let grades: String =
        (0..60).map(|at| format!("u{},i{},{}\n", at % 7, at % 11, 1 + (at * 5 + at % 7) % 4)).collect();
    folder.write("grades.csv", format!("user,item,grade\n{grades}"));
    let answers: String = (0..40).map(|at| format!("i{},i{},u{}\n", at % 5, 5 + at % 3, at % 6)).collect();
    folder.write("answers.csv", format!("winner,loser,judge\n{answers}"));
    for (file, grades) in
        [("grades.csv", GradesAs::Ordinal), ("grades.csv", GradesAs::Values), ("answers.csv", GradesAs::Ordinal)]
    {
        let ratings = read_ratings(folder.path(file), None, None).unwrap();
        let params =
            RatersParams::default().with_grades(grades).with_shared(CollaborativeParams::default().with_rounds(3));
        let model = params.train(ratings, Likeness::Apart).unwrap();
        model.save(folder.path("model.json")).unwrap();
        let back = RatersModel::load(folder.path("model.json")).unwrap();
        assert_eq!(back.learned().parts(), model.learned().parts());
        assert_eq!(back.ratings().users(), model.ratings().users());
        for user in 0..back.ratings().users().len() {
            let [one, other] = [&back, &model].map(|model| model.learned().belief(user).unwrap().mean().to_vec());
            assert_eq!(one, other);
        }
        let ranked = |model: &RatersModel| model.consensus(&RankingParams::default()).unwrap();
        let order = |model: &RatersModel| ranked(model).iter().map(|item| item.item).collect::<Vec<_>>();
        assert_eq!(order(&back), order(&model));
    }
}
